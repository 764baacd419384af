/* The thread that finds names: its queues, what it does with a batch, and when it is given up. */
#include "record/names_thread.h"

#include "base/io.h"
#include "base/memory.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

struct batch_queue {
	struct batch *head, **tail;
};

struct namer {
	size_t out; /* batches handed over and not yet taken; the recording thread's */
	pthread_t thread;
	bool has_thread, imported;
	struct files *files;	      /* the naming thread's */
	atomic_uint_least64_t cpu_ns; /* up to the last batch that was done */
	uint64_t batch_cpu_ns;	      /* that one may take; 0: any */
	struct batch *current;	      /* the naming thread's, guarded by lock */
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

static struct batch *wait_for_work(struct namer *n)
{
	pthread_mutex_lock(&n->lock);
	while (!n->todo.head && !n->stop)
		pthread_cond_wait(&n->todo_ready, &n->lock);
	struct batch *b = n->stop ? NULL : queue_take(&n->todo);
	n->current = b;
	pthread_mutex_unlock(&n->lock);
	return b;
}

static void do_batch(struct namer *n, struct symbolizer *s, struct batch *b)
{
	switch (b->kind) {
	case BATCH_NAMES:
		symbolize_batch(s, &b->module, b->addresses.data, b->addresses.len,
				batch_keep_frames, b, &b->result);
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
	struct namer *n = arg;
	setpriority(PRIO_PROCESS, 0,
		    5); /* this thread's: naming can wait, the target and the rings cannot */
	struct symbolizer *s =
		symbolizer_new(n->files, &(struct symbolize_options){ .use_cache = true,
								      .imported = n->imported });
	for (struct batch *b; (b = wait_for_work(n));) {
		do_batch(n, s, b);
		atomic_store(&n->cpu_ns, clock_thread_cpu_ns());
		pthread_mutex_lock(&n->lock);
		queue_put(&n->done, b);
		n->current = NULL;
		pthread_cond_signal(&n->done_ready);
		pthread_mutex_unlock(&n->lock);
	}
	symbolizer_free(s);
	return NULL;
}

struct namer *namer_new(struct files *files, bool imported)
{
	struct namer *n = xcalloc(1, sizeof(*n));
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

static void queue_drop(struct batch_queue *q)
{
	for (struct batch *b; (b = queue_take(q));)
		batch_free(b);
}

void namer_free(struct namer *n)
{
	if (n->gave_up)
		return;
	pthread_mutex_lock(&n->lock);
	n->stop = true;
	pthread_cond_signal(&n->todo_ready);
	pthread_mutex_unlock(&n->lock);
	if (n->has_thread)
		pthread_join(n->thread, NULL);
	queue_drop(&n->todo);
	queue_drop(&n->done);
	pthread_mutex_destroy(&n->lock);
	pthread_cond_destroy(&n->todo_ready);
	pthread_cond_destroy(&n->done_ready);
	free(n);
}

bool namer_works(const struct namer *n)
{
	return n->has_thread;
}

void namer_submit(struct namer *n, struct batch *b)
{
	pthread_mutex_lock(&n->lock);
	queue_put(&n->todo, b);
	n->out++;
	pthread_cond_signal(&n->todo_ready);
	pthread_mutex_unlock(&n->lock);
}

struct batch *namer_take(struct namer *n)
{
	pthread_mutex_lock(&n->lock);
	struct batch *b = queue_take(&n->done);
	if (b)
		n->out--;
	pthread_mutex_unlock(&n->lock);
	return b;
}

size_t namer_out(const struct namer *n)
{
	return n->out;
}

/* CPU time, not time: on a busy machine everything takes longer. */
static bool takes_too_much(const struct namer *n)
{
	clockid_t clock;
	struct timespec t;
	if (!n->batch_cpu_ns || !n->current || pthread_getcpuclockid(n->thread, &clock) != 0 ||
	    clock_gettime(clock, &t) != 0)
		return false;
	uint64_t cpu_ns = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
	return cpu_ns - atomic_load(&n->cpu_ns) > n->batch_cpu_ns;
}

bool namer_wait(struct namer *n)
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

void namer_limit(struct namer *n, uint64_t batch_cpu_ns)
{
	n->batch_cpu_ns = batch_cpu_ns;
}

const char *namer_gave_up(const struct namer *n)
{
	return n->gave_up;
}

uint64_t namer_cpu_ns(const struct namer *n)
{
	return atomic_load(&n->cpu_ns);
}
