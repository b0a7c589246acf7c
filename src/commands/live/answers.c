/* src/commands/live/answers.c - see answers.h. */
#include "live/answers.h"
#include <errno.h>
#include <stdlib.h>

#define FIRST_ROOM 64u

int weir_answers_init(struct weir_answers *answers, uint64_t reply_bytes)
{
    *answers = (struct weir_answers){ .reply_bytes = reply_bytes, .blank = calloc(1, WEIR_ANSWERS_REPLY_MAX) };
    return answers->blank != NULL ? 0 : -ENOMEM;
}

void weir_answers_free(struct weir_answers *answers)
{
    free(answers->waiting);
    free(answers->blank);
}

static void give_back(struct weir_answers *a, void *lease)
{
    if (lease != NULL)
        a->transport->release(a->self, lease);
}

/* Sends a reply. If the transport refuses it for another reason than lack of room or memory, counts it as failed:
 * usually the caller has gone. @return false = no room or memory now, try again */
static bool sent(struct weir_answers *a, const struct weir_answer *answer)
{
    int result = a->transport->reply(a->self, answer->rpc, &answer->data, (uintptr_t)answer->lease);
    if (result == -EAGAIN || result == -ENOMEM)
        return false;
    if (result != 0) {
        a->failed++;
        give_back(a, answer->lease);
    }
    return true;
}

static bool grow(struct weir_answers *a)
{
    size_t room = a->room > 0 ? 2 * a->room : FIRST_ROOM;
    struct weir_answer *waiting = malloc(room * sizeof(*waiting));
    if (waiting == NULL)
        return false;
    for (size_t i = 0; i < a->count; i++)
        waiting[i] = a->waiting[(a->first + i) & (a->room - 1)];
    free(a->waiting);
    a->waiting = waiting;
    a->room = room;
    a->first = 0;
    return true;
}

static void wait_for_room(struct weir_answers *a, const struct weir_answer *answer)
{
    if (a->count == a->room && !grow(a)) {
        a->failed++; /* the caller gets no reply, and ends the call by its deadline */
        give_back(a, answer->lease);
        return;
    }
    a->waiting[(a->first + a->count++) & (a->room - 1)] = *answer;
}

/* Returns the reply to a call: zeros, or an echo of the call, which then stays leased until the reply ends. */
static struct weir_answer answer_of(const struct weir_answers *a, const struct weir_event *call)
{
    struct weir_answer answer = { .rpc = call->rpc, .data = { a->blank, 0 } };
    uint32_t asked;
    if (a->reply_bytes != WEIR_ANSWERS_AS_ASKED) {
        answer.data.iov_len = a->reply_bytes;
    } else if (weir_live_asks(call->data, call->len, &asked)) {
        answer.data.iov_len = asked <= WEIR_ANSWERS_REPLY_MAX ? asked : 0;
    } else if (call->len <= WEIR_ANSWERS_ECHO_MAX) {
        answer.data = (struct iovec){ (void *)(uintptr_t)call->data, call->len };
        answer.lease = call->lease;
    }
    return answer;
}

void weir_answers_call(struct weir_answers *answers, const struct weir_event *call)
{
    struct weir_answer answer = answer_of(answers, call);
    if (answer.lease == NULL)
        give_back(answers, call->lease);
    if (answers->count > 0 || !sent(answers, &answer))
        wait_for_room(answers, &answer);
}

void weir_answers_replied(struct weir_answers *answers, const struct weir_event *event)
{
    answers->sent += event->result == 0;
    answers->failed += event->result != 0;
    give_back(answers, (void *)(uintptr_t)event->user_data);
}

void weir_answers_retry(struct weir_answers *answers)
{
    while (answers->count > 0 && sent(answers, &answers->waiting[answers->first])) {
        answers->first = (answers->first + 1) & (answers->room - 1);
        answers->count--;
    }
}
