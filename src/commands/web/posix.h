/* src/commands/web/posix.h - what the WebAssembly module lacks of POSIX, for a program of one thread. tools/web puts
 * it in the place of <pthread.h> and <setjmp.h>. platform.wasm.c has the functions. */
#ifndef WEIR_WEB_POSIX_H
#define WEIR_WEB_POSIX_H
#include <stddef.h>

typedef int pthread_t, pthread_mutex_t, pthread_cond_t;
typedef int jmp_buf[1];

/* Returns an error: a page has one thread. */
int pthread_create(pthread_t *id, const void *attributes, void *(*start)(void *), void *arg);
int pthread_join(pthread_t id, void **result);
int pthread_cancel(pthread_t id);
/* Ends the run: JavaScript throws, and the module is thrown away with its memory. Here memory alone has run out. */
_Noreturn void longjmp(jmp_buf to, int value);
#define setjmp(to) ((void)(to), 0)

/* Locks of one thread do nothing. */
static inline int weir_posix_nothing(const void *a, const void *b)
{
    return a == NULL && b == NULL;
}
#define pthread_mutex_init(mutex, attributes) (weir_posix_nothing(mutex, attributes))
#define pthread_mutex_destroy(mutex) (weir_posix_nothing(mutex, NULL))
#define pthread_mutex_lock(mutex) (weir_posix_nothing(mutex, NULL))
#define pthread_mutex_unlock(mutex) (weir_posix_nothing(mutex, NULL))
#define pthread_cond_init(cond, attributes) (weir_posix_nothing(cond, attributes))
#define pthread_cond_destroy(cond) (weir_posix_nothing(cond, NULL))
#define pthread_cond_wait(cond, mutex) (weir_posix_nothing(cond, mutex))
#define pthread_cond_broadcast(cond) (weir_posix_nothing(cond, NULL))
#define pthread_cleanup_push(function, arg) ((void)(function), (void)(arg))
#define pthread_cleanup_pop(execute) ((void)(execute))
#endif
