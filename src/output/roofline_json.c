/* The ceilings and points as JSON; input/ceilings.c reads the former back. */
#include <math.h>

#include "output/json.h"
#include "output/roofline.h"

static void put_rate(struct json *j, const char *name, const struct ceiling_rate *r)
{
	if (r->best <= 0) {
		json_null(j, name);
		return;
	}
	json_open_object(j, name);
	json_double(j, "best", r->best);
	json_double(j, "median", r->median);
	json_double(j, "least", r->least);
	json_bool(j, "noisy", ceiling_is_noisy(r));
	json_close_object(j);
}

static void put_flops(struct json *j, const struct ceilings *c)
{
	json_open_array(j, "flops");
	for (size_t i = 0; i < c->flops.len; i++) {
		const struct ceiling_flops *f = &c->flops.data[i];
		json_open_object(j, NULL);
		json_string(j, "name", f->name);
		json_string(j, "precision", f->is_double ? "double" : "single");
		json_bool(j, "vector", f->is_vector);
		json_bool(j, "fma", f->is_fma);
		put_rate(j, "one", &f->one);
		put_rate(j, "all", &f->all);
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_bandwidth(struct json *j, const struct ceilings *c)
{
	json_open_array(j, "bandwidth");
	for (size_t i = 0; i < c->bandwidth.len; i++) {
		const struct ceiling_bandwidth *b = &c->bandwidth.data[i];
		json_open_object(j, NULL);
		json_string(j, "place", b->place);
		json_string(j, "what", b->what);
		json_u64(j, "one_bytes", b->one_bytes);
		json_u64(j, "all_bytes", b->all_bytes);
		put_rate(j, "one", &b->one);
		put_rate(j, "all", &b->all);
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_caches(struct json *j, const struct ceilings *c)
{
	json_open_array(j, "caches");
	for (size_t i = 0; i < c->caches.len; i++) {
		const struct ceiling_cache *cache = &c->caches.data[i];
		json_open_object(j, NULL);
		json_u64(j, "level", cache->level);
		json_u64(j, "bytes", cache->bytes);
		if (cache->shared_by)
			json_u64(j, "shared_by", cache->shared_by);
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_machine(struct json *j, const struct ceilings *c)
{
	json_string(j, "processor", c->processor);
	json_string(j, "architecture", c->architecture);
	json_bool(j, "virtual", c->is_virtual);
	json_u64(j, "threads", c->threads);
	json_u64(j, "cores", c->cores);
	json_u64(j, "rounds", c->rounds);
	json_u64(j, "elapsed_ns", c->elapsed_ns);
	json_bool(j, "quick", c->is_quick);
	json_bool(j, "caches_guessed", c->caches_are_guessed);
	json_bool(j, "memory_small", c->memory_is_small);
	json_double(j, "steal", c->steal);
	json_double(j, "others", c->others);
	json_double(j, "held_up", c->held_up);
}

static const char *source_name(enum roofline_source source)
{
	return source == ROOFLINE_TRAFFIC ? "memory controllers" : "cache fills, a lower bound";
}

static const char *bound_name(enum roofline_bound bound)
{
	return bound == ROOFLINE_BOUND_MEMORY	    ? "memory"
	       : bound == ROOFLINE_BOUND_ARITHMETIC ? "arithmetic"
						    : "unknown";
}

static void put_place(struct json *j, const struct roofline_place *place)
{
	json_double(j, "flops_per_second", place->rate);
	json_double(j, "intensity", place->intensity);
	json_bool(j, "intensity_is_at_most", place->is_at_most);
	json_string(j, "compared_with", place->is_all ? "all" : "one");
	json_string(j, "precision", place->is_single ? "single" : "double");
	json_string(j, "bound", bound_name(place->bound));
	json_double(j, "attainable", place->attainable);
	json_double(j, "gain", place->gain);
}

static void put_point(struct json *j, const struct ceilings *c, const struct roofline_point *p)
{
	struct roofline_place place;

	json_open_object(j, NULL);
	json_string(j, "name", p->name);
	json_double(j, "flops", p->flops);
	json_double(j, "bytes", p->bytes);
	if (!isnan(p->bytes))
		json_string(j, "bytes_from", source_name(p->bytes_from));
	json_double(j, "seconds", p->seconds);
	json_double(j, "cpus", p->cpus);
	json_double(j, "running", p->running);
	json_bool(j, "whole_machine", p->is_whole_machine);
	if (roofline_place(&place, c, p))
		put_place(j, &place);
	json_close_object(j);
}

void output_roofline_json(struct bytes *out, const struct roofline_view *v)
{
	struct json j;

	json_begin(&j, out, 2);
	json_open_object(&j, NULL);
	json_string(&j, "format", ROOFLINE_FORMAT);
	json_u64(&j, "version", ROOFLINE_VERSION);
	put_machine(&j, v->ceilings);
	put_caches(&j, v->ceilings);
	put_flops(&j, v->ceilings);
	put_bandwidth(&j, v->ceilings);
	if (v->title)
		json_string(&j, "command", v->title);
	if (v->not_placed)
		json_string(&j, "not_placed", v->not_placed);
	if (v->point_count) {
		json_open_array(&j, "points");
		for (size_t i = 0; i < v->point_count; i++)
			put_point(&j, v->ceilings, &v->points[i]);
		json_close_array(&j);
	}
	json_close_object(&j);
	json_end(&j);
}
