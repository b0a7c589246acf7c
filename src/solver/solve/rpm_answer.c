/* src/solver/solve/rpm_answer.c - see rpm_answer.h. */
#include "solve/rpm_answer.h"
#include <math.h>

void weir_rpm_answer_init(struct weir_rpm_answer *answer, const struct weir_rpm_model *m)
{
    struct weir_rpm_model forward = weir_rpm_marking(m, true);
    *answer = (struct weir_rpm_answer){ .model = *m,
                                        .gamma = weir_rpm_gamma(m),
                                        .equilibrium = weir_rpm_equilibrium(m),
                                        .printed = weir_rpm_root_printed(m),
                                        .right = weir_rpm_root_right(m),
                                        .exact = weir_rpm_root_exact(m),
                                        .limit = weir_rpm_limit(m),
                                        .limit_forward = weir_rpm_limit(&forward),
                                        .approx = weir_rpm_limit_approx(m),
                                        .approx_forward = weir_rpm_limit_approx(&forward) };
    answer->eta_max = weir_rpm_eta_max(m, &answer->eta_max_at);
    answer->residual = weir_rpm_residual(m, answer->eta_max_at, answer->eta_max);
    if (isfinite(answer->printed)) {
        answer->eta_printed = weir_rpm_eta(m, answer->printed);
        answer->eta_below = weir_rpm_eta(m, WEIR_RPM_BELOW * answer->printed);
        answer->residual =
            fmax(answer->residual, weir_rpm_residual(m, answer->printed, weir_rpm_double(answer->eta_printed)));
    }
}
