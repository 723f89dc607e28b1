/** `Class.method`, the class with its package where it has one: `com.example.device.Printer.print`. */
export const apiMethodPattern = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/
export const api_method_max = 200

/** Why a device refuses a call of an app. */
export const apiRefusals = ['no_list', 'unknown_app', 'other_certificate', 'not_listed'] as const
export type ApiRefusal = (typeof apiRefusals)[number]
