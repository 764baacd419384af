/* The parts of prof annotate. Private to output/. */
#ifndef PROF_OUTPUT_ANNOTATE_H
#define PROF_OUTPUT_ANNOTATE_H

#include "analysis/annotate.h"
#include "analysis/instructions.h"
#include "analysis/source_texts.h"
#include "output/output.h"
#include "output/show.h"

struct annotate_output {
	struct show show;
	const struct annotation *annotation;
	const struct source_texts *texts;
	const struct annotate_options *options;
	struct instructions instructions;   /* none in the view of source alone */
	uint32_t *line_starts, *line_items; /* sampled instructions by line */
	uint32_t lines_between;		    /* printed so far, for the whole function */
	size_t address_width;
};

/* What is said before the rows; its lines count against the screen. */
void annotate_head(struct annotate_output *o);
/* What is left, and commands to go on with. left: rows that were not shown. */
void annotate_rest(struct annotate_output *o, size_t left, uint64_t left_weight, const char *one,
		   const char *many);
/* Rows that fit the rest of a small screen. */
size_t annotate_room(const struct annotate_output *o);
/* Below this weight nothing is shown. */
uint64_t annotate_least(const struct annotate_output *o);

void annotate_titles(struct annotate_output *o, const char *what, const char *text);
/* Share, error, and the line's number (0: none). w may be NULL: nothing was sampled. */
void annotate_numbers(struct annotate_output *o, const struct annotate_weight *w, uint32_t line);
/* Ends a row, without blanks at its end. */
void annotate_end_row(struct annotate_output *o);
/* Text in what is left of the line behind so many more columns; nothing where that is too little.
 */
void annotate_text(struct annotate_output *o, const char *text, size_t used);
/* The rest of the line is the source text of a line, indented as it is, or not. Nothing when it is
 * not known. */
void annotate_source(struct annotate_output *o, uint32_t file, uint32_t line, size_t used,
		     bool indented);
enum show_style annotate_style(const struct annotate_output *o, const struct annotate_weight *w);
/* "parse.c", or the whole path where that is asked for; printable. Caller frees. */
char *annotate_file_name(const struct annotate_output *o, uint32_t file);

void annotate_lines(struct annotate_output *o);
void annotate_asm(struct annotate_output *o);
/* Before annotate_line_instructions. */
void annotate_index_lines(struct annotate_output *o);
/* Instructions of a line, the hottest so many of them; returns how many rows that took. Rows of
 * context come on top. */
size_t annotate_line_instructions(struct annotate_output *o, uint32_t line_row, size_t most);
void annotate_json(struct annotate_output *o);
void annotate_csv(struct annotate_output *o);

#endif
