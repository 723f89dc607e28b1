/** What an operator can do something about: printed without a stack. */
export class OperatorFault extends Error {}
/** A command line that makes no sense: the usage is printed with it. */
export class Misuse extends OperatorFault {}
