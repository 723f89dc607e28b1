/** What takes long to make, such as a format of a language, and is the same for the same key: it is made once. */
export function kept<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const all = new Map<Key, Made>()
  return (key) => {
    if (!all.has(key)) all.set(key, make(key))
    return all.get(key) as Made
  }
}
