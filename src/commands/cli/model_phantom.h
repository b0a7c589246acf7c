/* src/commands/cli/model_phantom.h - `weir model phantom`: the least stable p of Söze's law with a phantom queue. */
#ifndef WEIR_CLI_MODEL_PHANTOM_H
#define WEIR_CLI_MODEL_PHANTOM_H

/* Executes the command. argv[0] is "phantom". @return enum weir_exit */
int weir_cli_model_phantom(int argc, char **argv);
#endif
