/*
 * An expression's value and, by its derivatives after each name, its uncertainty. Recursion is at
 * most as deep as there are nodes, a few hundred.
 */
#include <math.h>
#include <string.h>

#include "analysis/expression.h"
#include "analysis/expression_parts.h"

/* A number, and how it changes with each name. */
struct dual {
	double value;
	double by[EXPRESSION_NAMES_MAX];
};

struct evaluation {
	const struct expression *e;
	const struct expression_input *inputs;
	struct expression_value *out;
};

static bool evaluate(struct evaluation *ev, uint16_t node, struct dual *result);

static bool stop(struct evaluation *ev, enum expression_state state)
{
	ev->out->state = state;
	return false;
}

static bool take_name(struct evaluation *ev, uint16_t name, struct dual *result)
{
	ev->out->used |= 1u << name;
	if (isnan(ev->inputs[name].value)) {
		ev->out->name = name;
		return stop(ev, EXPRESSION_MISSING);
	}
	result->value = ev->inputs[name].value;
	result->by[name] = 1;
	return true;
}

/* a := x a + y b, in how it changes. */
static void combine(const struct evaluation *ev, struct dual *a, double x, const struct dual *b,
		    double y)
{
	for (size_t i = 0; i < ev->e->names_len; i++)
		a->by[i] = (a->by[i] != 0 ? x * a->by[i] : 0) + (b->by[i] != 0 ? y * b->by[i] : 0);
}

static bool choose(struct dual *a, const struct dual *b, bool is_b)
{
	if (is_b)
		*a = *b;
	return true;
}

static bool be_truth(struct dual *a, bool holds)
{
	*a = (struct dual){ .value = holds };
	return true;
}

static bool divide(struct evaluation *ev, struct dual *a, const struct dual *b)
{
	if (b->value == 0)
		return stop(ev, EXPRESSION_DIVIDED_BY_ZERO);
	double quotient = a->value / b->value;
	combine(ev, a, 1 / b->value, b, -quotient / b->value);
	a->value = quotient;
	return true;
}

static bool apply(struct evaluation *ev, enum expression_op op, struct dual *a,
		  const struct dual *b)
{
	switch (op) {
	case EXPRESSION_ADD:
		combine(ev, a, 1, b, 1);
		a->value += b->value;
		return true;
	case EXPRESSION_SUBTRACT:
		combine(ev, a, 1, b, -1);
		a->value -= b->value;
		return true;
	case EXPRESSION_MULTIPLY:
		combine(ev, a, b->value, b, a->value);
		a->value *= b->value;
		return true;
	case EXPRESSION_DIVIDE:
		return divide(ev, a, b);
	case EXPRESSION_BELOW:
		return be_truth(a, a->value < b->value);
	case EXPRESSION_AT_MOST:
		return be_truth(a, a->value <= b->value);
	case EXPRESSION_ABOVE:
		return be_truth(a, a->value > b->value);
	case EXPRESSION_AT_LEAST:
		return be_truth(a, a->value >= b->value);
	case EXPRESSION_EQUAL:
		return be_truth(a, a->value == b->value);
	case EXPRESSION_NOT_EQUAL:
		return be_truth(a, a->value != b->value);
	case EXPRESSION_MIN:
		return choose(a, b, b->value < a->value);
	default:
		return choose(a, b, b->value > a->value);
	}
}

static bool evaluate_call(struct evaluation *ev, const struct expression_node *n,
			  struct dual *result)
{
	struct dual other = { 0 };

	if (!evaluate(ev, n->args[0], result))
		return false;
	if (n->op == EXPRESSION_NEGATIVE) {
		combine(ev, result, -1, &other, 0);
		result->value = -result->value;
		return true;
	}
	if (n->op == EXPRESSION_IF) {
		uint16_t chosen = n->args[result->value != 0 ? 1 : 2];
		*result = (struct dual){ 0 };
		return evaluate(ev, chosen, result);
	}
	return evaluate(ev, n->args[1], &other) && apply(ev, n->op, result, &other);
}

static bool evaluate(struct evaluation *ev, uint16_t node, struct dual *result)
{
	const struct expression_node *n = &ev->e->nodes[node];

	if (n->op == EXPRESSION_NAME)
		return take_name(ev, n->name, result);
	if (n->op == EXPRESSION_NUMBER)
		result->value = n->number;
	else if (!evaluate_call(ev, n, result))
		return false;
	return isfinite(result->value) || stop(ev, EXPRESSION_NOT_FINITE);
}

/* The inputs are taken as independent. One without a known uncertainty spoils it, unless the result
 * does not change with it. */
static double half_width(const struct evaluation *ev, const struct dual *result)
{
	double squares = 0;

	for (size_t i = 0; i < ev->e->names_len; i++) {
		double part = result->by[i] * ev->inputs[i].half_width;
		squares += result->by[i] != 0 ? part * part : 0;
	}
	return sqrt(squares);
}

void expression_evaluate(const struct expression *e, const struct expression_input *inputs,
			 struct expression_value *out)
{
	struct evaluation ev = { .e = e, .inputs = inputs, .out = out };
	struct dual result = { 0 };

	*out = (struct expression_value){ .value = NAN, .half_width = NAN };
	if (!evaluate(&ev, (uint16_t)(e->nodes_len - 1), &result))
		return;
	out->value = result.value;
	out->half_width = half_width(&ev, &result);
}
