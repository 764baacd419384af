/* Batches of addresses to the naming thread and names back. */
#include "record/names.h"

#include "base/hash.h"
#include "base/io.h"
#include "base/progress.h"
#include "record/excerpts.h"
#include "record/verbose.h"
#include "symbolize/symbolize.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S	  UINT64_C(1000000000)
#define HOT_HITS	  2   /* of an address: the code around it is worth a copy */
#define EXCERPT_ADDRESSES 400 /* hottest addresses of the recording */

/* Frames of one address inside a batch's result; texts live in the batch's strings. */
struct named {
	uint64_t address;
	uint32_t first_frame, frame_count;
};

enum batch_kind {
	BATCH_NAMES,
	BATCH_EXCERPTS,
	BATCH_LINES, /* no addresses: lines of generated code */
	BATCH_LOOK,  /* no addresses: the process is looked at while it lives */
	BATCH_KEEP,  /* no addresses: what was found is to be kept for the next run */
};

struct batch {
	struct batch *next;
	struct symbolize_module module; /* path, build ID and fd are the batch's own copies */
	char *path;
	uint8_t build_id[64];
	VEC(uint64_t) addresses;
	VEC(struct named) named;
	VEC(struct profile_symbol_frame) frames;
	struct strtab strings; /* initialized with the first one */
	struct arena arena;
	struct symbolize_result result;
	enum batch_kind kind;
	struct excerpts excerpts;
	struct excerpt_lines lines;
};

struct batch_queue {
	struct batch *head, **tail;
};

struct module_addresses {
	struct hmap noted; /* address → how often it was a leaf, + 1 */
	VEC(uint64_t) pending;
	const struct task_module *module;
	bool damage_said, named;
};

struct names {
	struct rows *rows;
	struct codes *codes;
	struct kernel_code *kernel_code;
	VEC(struct module_addresses) modules; /* by task_module.index */
	VEC(char *) damages;		      /* to be said; the first damages_told were */
	size_t damages_told;
	size_t out; /* batches handed over and not yet collected */
	pthread_t thread;
	bool has_thread, imported;
	struct files *files;		     /* the naming thread's */
	atomic_uint_least64_t thread_cpu_ns; /* up to the last batch that was done */
	uint64_t batch_cpu_ns;		     /* that one may take; 0: any */
	struct batch *current;		     /* the naming thread's, guarded by lock */
	char *gave_up;
	pthread_mutex_t lock; /* guards todo, done, stop */
	pthread_cond_t todo_ready, done_ready;
	struct batch_queue todo, done;
	bool stop;
};

static void queue_init(struct batch_queue *q)
{
	q->head = NULL;
	q->tail = &q->head;
}

static void queue_put(struct batch_queue *q, struct batch *b)
{
	b->next = NULL;
	*q->tail = b;
	q->tail = &b->next;
}

static struct batch *queue_take(struct batch_queue *q)
{
	struct batch *b = q->head;
	if (b && !(q->head = b->next))
		q->tail = &q->head;
	return b;
}

static void batch_free(struct batch *b)
{
	if (b->module.fd >= 0)
		close(b->module.fd);
	free(b->path);
	vec_release(&b->addresses);
	vec_release(&b->named);
	vec_release(&b->frames);
	if (b->strings.strings.len)
		strtab_release(&b->strings);
	arena_release(&b->arena);
	excerpts_release(&b->excerpts);
	excerpt_lines_release(&b->lines);
	free(b);
}

/* ---- the naming thread ---- */

/* Many addresses have the same names. */
static const char *keep(struct batch *b, const char *s)
{
	if (!b->strings.strings.len)
		strtab_init(&b->strings);
	return s ? strtab_get(&b->strings, strtab_add_str(&b->strings, s)) : NULL;
}

static const struct profile_symbol_alias *keep_aliases(struct batch *b,
						       const struct profile_symbol_frame *f)
{
	if (!f->alias_count)
		return NULL;
	struct profile_symbol_alias *aliases =
		arena_alloc(&b->arena, f->alias_count * sizeof(*aliases));
	for (uint32_t i = 0; i < f->alias_count; i++) {
		aliases[i] = f->aliases[i];
		aliases[i].name = keep(b, aliases[i].name);
		aliases[i].linkage = keep(b, aliases[i].linkage);
	}
	return aliases;
}

static void keep_frames(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
			uint32_t count)
{
	struct batch *b = ctx;
	struct named named = { address, (uint32_t)b->frames.len, count };
	vec_push(&b->named, named);
	for (uint32_t i = 0; i < count; i++) {
		struct profile_symbol_frame f = frames[i];
		f.name = keep(b, f.name);
		f.linkage = keep(b, f.linkage);
		f.file = keep(b, f.file);
		f.function_file = keep(b, f.function_file);
		f.aliases = keep_aliases(b, &f);
		vec_push(&b->frames, f);
	}
}

static struct batch *wait_for_work(struct names *n)
{
	pthread_mutex_lock(&n->lock);
	while (!n->todo.head && !n->stop)
		pthread_cond_wait(&n->todo_ready, &n->lock);
	struct batch *b = n->stop ? NULL : queue_take(&n->todo);
	n->current = b;
	pthread_mutex_unlock(&n->lock);
	return b;
}

static void do_batch(struct names *n, struct symbolizer *s, struct batch *b)
{
	switch (b->kind) {
	case BATCH_NAMES:
		symbolize_batch(s, &b->module, b->addresses.data, b->addresses.len, keep_frames, b,
				&b->result);
		break;
	case BATCH_EXCERPTS:
		excerpts_collect(&b->excerpts, s, n->files, &b->module, b->addresses.data,
				 b->addresses.len);
		break;
	case BATCH_LINES:
		excerpts_collect_lines(&b->excerpts, n->files, b->module.pid, &b->lines);
		break;
	case BATCH_LOOK:
		files_remember(n->files, b->module.pid);
		break;
	case BATCH_KEEP:
		symbolizer_keep(s);
		break;
	}
}

static void *naming_thread(void *arg)
{
	struct names *n = arg;
	setpriority(PRIO_PROCESS, 0,
		    5); /* this thread's: naming can wait, the target and the rings cannot */
	struct symbolizer *s =
		symbolizer_new(n->files, &(struct symbolize_options){ .use_cache = true,
								      .imported = n->imported });
	for (struct batch *b; (b = wait_for_work(n));) {
		do_batch(n, s, b);
		atomic_store(&n->thread_cpu_ns, clock_thread_cpu_ns());
		pthread_mutex_lock(&n->lock);
		queue_put(&n->done, b);
		n->current = NULL;
		pthread_cond_signal(&n->done_ready);
		pthread_mutex_unlock(&n->lock);
	}
	symbolizer_free(s);
	return NULL;
}

/* ---- the recording thread ---- */

struct names *names_new(struct files *files, struct rows *rows, struct codes *codes,
			struct kernel_code *kernel_code, bool imported)
{
	struct names *n = xcalloc(1, sizeof(*n));
	n->rows = rows;
	n->codes = codes;
	n->kernel_code = kernel_code;
	n->files = files;
	n->imported = imported;
	queue_init(&n->todo);
	queue_init(&n->done);
	pthread_mutex_init(&n->lock, NULL);
	pthread_cond_init(&n->todo_ready, NULL);
	pthread_cond_init(&n->done_ready, NULL);
	n->has_thread = pthread_create(&n->thread, NULL, naming_thread, n) == 0;
	return n;
}

static void module_addresses_release(struct module_addresses *m)
{
	hmap_release(&m->noted);
	vec_release(&m->pending);
}

static void queue_drop(struct batch_queue *q)
{
	for (struct batch *b; (b = queue_take(q));)
		batch_free(b);
}

void names_free(struct names *n)
{
	if (!n || n->gave_up)
		return;
	pthread_mutex_lock(&n->lock);
	n->stop = true;
	pthread_cond_signal(&n->todo_ready);
	pthread_mutex_unlock(&n->lock);
	if (n->has_thread)
		pthread_join(n->thread, NULL);
	queue_drop(&n->todo);
	queue_drop(&n->done);
	for (size_t i = 0; i < n->modules.len; i++)
		module_addresses_release(&n->modules.data[i]);
	vec_release(&n->modules);
	for (size_t i = 0; i < n->damages.len; i++)
		free(n->damages.data[i]);
	vec_release(&n->damages);
	pthread_mutex_destroy(&n->lock);
	pthread_cond_destroy(&n->todo_ready);
	pthread_cond_destroy(&n->done_ready);
	free(n);
}

static struct batch *plain_batch(enum batch_kind kind)
{
	struct batch *b = xcalloc(1, sizeof(*b));
	b->kind = kind;
	b->module.fd = -1;
	return b;
}

static void hand_over(struct names *n, struct batch *b)
{
	pthread_mutex_lock(&n->lock);
	queue_put(&n->todo, b);
	n->out++;
	pthread_cond_signal(&n->todo_ready);
	pthread_mutex_unlock(&n->lock);
}

/* Names are looked up later, when the process may be gone. */
static void look_at_process(struct names *n, const struct task_module *m)
{
	if (!n->has_thread || m->kind != MODULE_FILE || m->seen_pid <= 0)
		return;
	struct batch *b = plain_batch(BATCH_LOOK);
	b->path = xstrdup(m->path ? m->path : "");
	b->module.pid = m->seen_pid;
	hand_over(n, b);
}

static struct module_addresses *addresses_of(struct names *n, const struct task_module *m)
{
	while (n->modules.len <= m->index)
		vec_push(&n->modules, (struct module_addresses){ 0 });
	struct module_addresses *a = &n->modules.data[m->index];
	if (!a->module)
		look_at_process(n, m);
	a->module = m;
	return a;
}

void names_kernel_code_ended(struct names *n, const struct task_module *m, uint64_t start,
			     uint64_t size, const char *name)
{
	struct module_addresses *a = addresses_of(n, m);
	struct profile_symbol_frame frame = { .name = name };
	size_t kept = 0;

	for (size_t i = 0; i < a->pending.len; i++) {
		uint64_t address = a->pending.data[i];
		if (address - start >= size)
			a->pending.data[kept++] = address;
		else
			profile_writer_add_location(n->rows->writer, rows_module(n->rows, m),
						    address, &frame, 1);
	}
	a->pending.len = kept;
}

/* An address that was not noted before. */
static void want_name(struct names *n, struct module_addresses *a, uint64_t address)
{
	if (n->kernel_code && a->module->kind == MODULE_KERNEL &&
	    kernel_code_name(n->kernel_code, a->module, address))
		return;
	if (n->codes && codes_has(n->codes, a->module))
		codes_note(n->codes, a->module, address);
	else
		vec_push(&a->pending, address);
}

void names_note(struct names *n, const struct task_module *m, uint64_t address)
{
	struct module_addresses *a = addresses_of(n, m);
	if (hmap_get(&a->noted, address) != HMAP_NONE)
		return;
	hmap_put(&a->noted, address, 1);
	want_name(n, a, address);
}

void names_hit(struct names *n, const struct task_module *m, uint64_t address)
{
	struct module_addresses *a = addresses_of(n, m);
	uint32_t hits = hmap_get(&a->noted, address);
	if (hits == HMAP_NONE) {
		want_name(n, a, address);
		hits = 1;
	}
	if (hits < HMAP_NONE - 1)
		hmap_put(&a->noted, address, hits + 1);
	/* Again and again: other code may stand there meanwhile. What was copied is not copied
	 * twice. */
	if (hits % HOT_HITS == 0 && n->codes && codes_has(n->codes, m))
		codes_want_code(n->codes, m, address);
}

static int compare_addresses(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return (a > b) - (a < b);
}

/* See identify_by_content in the task layer: big-endian in the identity's bytes. */
static uint64_t content_hash(const struct task_module *m)
{
	uint64_t hash = 0;

	if (m->identity != IDENTITY_CONTENT_HASH)
		return 0;
	for (size_t i = 0; i < sizeof(hash); i++)
		hash = hash << 8 | m->build_id[i];
	return hash;
}

static struct batch *batch_new(const struct task_module *m, enum batch_kind kind)
{
	struct batch *b = xcalloc(1, sizeof(*b));
	b->path = xstrdup(m->path ? m->path : "");
	memcpy(b->build_id, m->build_id, sizeof(b->build_id));
	b->kind = kind;
	b->module = (struct symbolize_module){
		.key = m->index,
		.kind = m->kind,
		.path = b->path,
		.build_id = b->build_id,
		.build_id_len = m->build_id_len,
		.content_hash = content_hash(m),
		.refused = m->kind == MODULE_KERNEL && m->refused,
		.kernel_text = m->kernel_text,
		.fd = m->fd >= 0 ? fcntl(m->fd, F_DUPFD_CLOEXEC, 0) : -1,
		.pid = m->seen_pid,
	};
	return b;
}

static struct batch *names_batch(struct module_addresses *a)
{
	struct batch *b = batch_new(a->module, BATCH_NAMES);
	vec_reserve(&b->addresses, a->pending.len);
	memcpy(b->addresses.data, a->pending.data, a->pending.len * sizeof(uint64_t));
	b->addresses.len = a->pending.len;
	vec_clear(&a->pending);
	qsort(b->addresses.data, b->addresses.len, sizeof(uint64_t), compare_addresses);
	return b;
}

static void submit_if(struct names *n, bool kernel)
{
	for (size_t i = 0; i < n->modules.len; i++) {
		struct module_addresses *a = &n->modules.data[i];
		if (a->pending.len && (a->module->kind == MODULE_KERNEL) == kernel)
			hand_over(n, names_batch(a));
	}
}

/* The kernel first: making its table takes much memory, all of which is given back, and files keep
 * what was read of them. */
void names_submit(struct names *n)
{
	if (n->codes)
		codes_submit(n->codes);
	if (!n->has_thread)
		return;
	submit_if(n, true);
	submit_if(n, false);
}

static void write_excerpts(struct names *n, struct task_table *tasks, const struct batch *b)
{
	const struct excerpts *e = &b->excerpts;
	uint32_t row = rows_module(n->rows, task_module_at(tasks, b->module.key));
	for (size_t i = 0; i < e->code.len; i++) {
		const struct excerpt_code *c = &e->code.data[i];
		profile_writer_add_code(n->rows->writer, row, c->address, e->bytes.data + c->offset,
					c->length);
	}
	for (size_t i = 0; i < e->sources.len; i++) {
		const struct excerpt_source *s = &e->sources.data[i];
		profile_writer_add_source(n->rows->writer, s->file, s->first_line, s->flags,
					  (const char *)e->bytes.data + s->offset, s->length);
	}
}

static bool is_said(const struct names *n, const char *text)
{
	for (size_t i = 0; i < n->damages.len; i++)
		if (strcmp(n->damages.data[i], text) == 0)
			return true;
	return false;
}

static void take_damage(struct names *n, const struct task_module *m, const char *text)
{
	struct module_addresses *a = addresses_of(n, m);

	if (text[0] && !a->damage_said && !is_said(n, text))
		vec_push(&n->damages, xstrdup(text));
	a->damage_said |= text[0] != '\0';
}

const char *names_next_damage(struct names *n)
{
	return n->damages_told < n->damages.len ? n->damages.data[n->damages_told++] : NULL;
}

static void write_names(struct names *n, struct task_table *tasks, const struct batch *b)
{
	struct task_module *m = task_module_at(tasks, b->module.key);
	take_damage(n, m, b->result.damage);
	verbose_named(m, &b->result, b->addresses.len, &addresses_of(n, m)->named);
	uint32_t row = rows_module(n->rows, m);
	for (size_t i = 0; i < b->named.len; i++) {
		const struct named *named = &b->named.data[i];
		const struct profile_symbol_frame *frames =
			named->frame_count ? b->frames.data + named->first_frame : NULL;
		profile_writer_add_location(n->rows->writer, row, named->address, frames,
					    named->frame_count);
	}
	rows_module_names(n->rows, m,
			  &(struct rows_names){ b->result.symbols, b->result.debug_path,
						b->result.note, b->result.no_debug_file });
}

size_t names_collect(struct names *n, struct task_table *tasks)
{
	for (;;) {
		pthread_mutex_lock(&n->lock);
		struct batch *b = queue_take(&n->done);
		if (b)
			n->out--;
		pthread_mutex_unlock(&n->lock);
		if (!b)
			return n->out;
		if (b->kind == BATCH_NAMES)
			write_names(n, tasks, b);
		else if (b->kind == BATCH_EXCERPTS || b->kind == BATCH_LINES)
			write_excerpts(n, tasks, b);
		batch_free(b);
	}
}

void names_limit(struct names *n, uint64_t batch_cpu_ns)
{
	n->batch_cpu_ns = batch_cpu_ns;
}

const char *names_gave_up(const struct names *n)
{
	return n->gave_up;
}

/* CPU time, not time: on a busy machine everything takes longer. */
static bool takes_too_much(const struct names *n)
{
	clockid_t clock;
	struct timespec t;
	if (!n->batch_cpu_ns || !n->current || pthread_getcpuclockid(n->thread, &clock) != 0 ||
	    clock_gettime(clock, &t) != 0)
		return false;
	uint64_t cpu_ns = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
	return cpu_ns - atomic_load(&n->thread_cpu_ns) > n->batch_cpu_ns;
}

/* Until one is done. false: it takes too much. */
static bool wait_for_batch(struct names *n)
{
	struct timespec until;
	pthread_mutex_lock(&n->lock);
	while (!n->done.head && !n->gave_up) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		pthread_cond_timedwait(&n->done_ready, &n->lock, &until);
		if (!n->done.head && takes_too_much(n))
			n->gave_up = xstrdup(n->current->path ? n->current->path : "");
	}
	pthread_mutex_unlock(&n->lock);
	return !n->gave_up;
}

void names_finish(struct names *n, struct task_table *tasks)
{
	struct progress progress;
	names_submit(n);
	progress_start(&progress, "naming functions");
	for (size_t all = n->out; names_collect(n, tasks) && wait_for_batch(n);)
		progress_update(&progress, all - n->out, all);
	progress_end(&progress);
}

struct hot {
	uint64_t address;
	uint32_t module, hits;
};

struct hot_list {
	VEC(struct hot) items;
};

static int hottest_first(const void *pa, const void *pb)
{
	const struct hot *a = pa, *b = pb;
	if (a->hits != b->hits)
		return a->hits < b->hits ? 1 : -1;
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static void list_hot(const struct names *n, struct hot_list *hot)
{
	for (size_t i = 0; i < n->modules.len; i++) {
		const struct hmap *noted = &n->modules.data[i].noted;
		for (size_t k = 0; k < noted->cap; k++) {
			struct hot h = { noted->keys[k], (uint32_t)i, noted->values[k] };
			if (h.hits != HMAP_NONE && h.hits > 1)
				vec_push(&hot->items, h);
		}
	}
	if (hot->items.len)
		qsort(hot->items.data, hot->items.len, sizeof(hot->items.data[0]), hottest_first);
	if (hot->items.len > EXCERPT_ADDRESSES)
		hot->items.len = EXCERPT_ADDRESSES;
}

static void add_generated_code(struct names *n, const struct hot_list *hot,
			       const struct task_module *m)
{
	struct batch *b = batch_new(m, BATCH_LINES);
	uint32_t line;

	for (size_t i = 0; i < hot->items.len; i++) {
		uint64_t address = hot->items.data[i].address;
		if (hot->items.data[i].module != m->index)
			continue;
		codes_add_code(n->codes, m, address);
		const char *file = codes_line(n->codes, m, address, &line);
		excerpt_lines_add(&b->lines, file, line);
	}
	b->module.pid = codes_files_pid(n->codes, m);
	if (b->lines.items.len)
		hand_over(n, b);
	else
		batch_free(b);
}

void names_add_excerpts(struct names *n, struct task_table *tasks)
{
	struct hot_list hot = { 0 };
	list_hot(n, &hot);
	for (size_t i = 0; i < n->modules.len && n->has_thread; i++) {
		const struct task_module *m = n->modules.data[i].module;
		if (m && n->codes && codes_has(n->codes, m))
			add_generated_code(n, &hot, m);
		if (!m || m->kind != MODULE_FILE)
			continue;
		struct batch *b = batch_new(m, BATCH_EXCERPTS);
		for (size_t k = 0; k < hot.items.len; k++) {
			if (hot.items.data[k].module == i)
				vec_push(&b->addresses, hot.items.data[k].address);
		}
		hand_over(n, b);
	}
	vec_release(&hot.items);
	if (n->has_thread)
		hand_over(n, plain_batch(BATCH_KEEP));
	while (names_collect(n, tasks) && wait_for_batch(n))
		;
}

void names_new_epoch(struct names *n)
{
	for (size_t i = 0; i < n->modules.len; i++) {
		hmap_clear(&n->modules.data[i].noted);
		vec_clear(&n->modules.data[i].pending);
	}
}

uint64_t names_thread_cpu_ns(const struct names *n)
{
	return atomic_load(&n->thread_cpu_ns);
}
