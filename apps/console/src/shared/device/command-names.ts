/** What a person can ask of devices directly; apart from the dialogs, so that lists need not load those. */
export const commands = ['message', 'find', 'lock', 'restart'] as const
export type Command = (typeof commands)[number]
