/** Marks that turn text around could make `exe.png` of `gnp.exe`: a device's names are shown without them. */
export const visibleName = (name: string): string => name.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\uFFFD')

/** The folders from the root to `path`, each with its own path. */
export function stepsTo(path: string): { name: string; path: string }[] {
  const names = path.split('/').filter(Boolean)
  return names.map((name, at) => ({ name, path: `/${names.slice(0, at + 1).join('/')}` }))
}

export const pathOf = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`)
