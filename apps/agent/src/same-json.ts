/** Whether two values say the same as JSON; `undefined` is a value of its own. The order of names makes no difference. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  const of = (value: object, name: string): unknown => (value as Record<string, unknown>)[name]
  return names.every((name) => Object.hasOwn(b, name) && isSameJson(of(a, name), of(b, name)))
}
