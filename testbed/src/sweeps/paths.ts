export type Path = (string | number)[]

/** Every place in an input, as a path: fields, and what is in them. */
export const pathsIn = (value: unknown, path: Path = []): Path[] => {
  const entries = value && typeof value === 'object' ? Object.entries(value) : []
  const inner = entries.flatMap(([key, part]) => pathsIn(part, [...path, Array.isArray(value) ? Number(key) : key]))
  return path.length > 0 ? [path, ...inner] : inner
}

/** A copy of `value` with something else at `path`. */
export function replaced(value: unknown, path: Path, other: unknown): unknown {
  const copy = structuredClone(value) as Record<string | number, unknown>
  let at = copy
  for (const step of path.slice(0, -1)) at = at[step] as typeof at
  at[path.at(-1)!] = other
  return copy
}
