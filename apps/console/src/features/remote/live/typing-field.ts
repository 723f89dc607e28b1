/** What the field holds when nothing is written: input methods that mend what they wrote a moment ago find something to take away. */
const ground = '\n'.repeat(32)
/** Beyond that the field begins anew, so that it does not grow for hours. */
const longest = 500

/** Keys that an input method, a dead key or a keyboard on the glass has to itself: what comes of them is told by the field. */
const isOfInputMethod = ({ isComposing, keyCode, key }: KeyboardEvent): boolean =>
  isComposing || keyCode === 229 || key === 'Dead' || key === 'Process' || key === 'Unidentified'

/** How one text became another, as it is typed: from the end backwards, then the new letters. */
export function strokesBetween(before: string, after: string): string {
  const [old, now] = [[...before], [...after]]
  let same = 0
  while (same < old.length && same < now.length && old[same] === now[same]) same++
  return '\b'.repeat(old.length - same) + now.slice(same).join('')
}

type Takers = {
  /** A key that stands for itself, pressed or let go. */
  key: (event: KeyboardEvent) => void
  /** What was written otherwise: Vietnamese and Chinese by an input method, a word that a tablet has mended. */
  text: (strokes: string) => void
  composing: (is_composing: boolean) => void
}

/**
 * Browsers give only a field of text to input methods, never a picture: this one is written into while the screen of a device has the
 * keyboard. Returns what stops it.
 */
export function listenToField(field: HTMLTextAreaElement, { key, text, composing }: Takers): () => void {
  let told = ''
  const begin = () => {
    field.value = ground
    told = ground
  }
  const tell = () => {
    const strokes = strokesBetween(told, field.value)
    told = field.value
    if (strokes !== '') text(strokes)
    // An input method that is at work is not disturbed.
    if (field.value.length > longest || field.value === '') begin()
  }
  const keyDown = (event: KeyboardEvent) => {
    if (isOfInputMethod(event) || field.readOnly) return
    event.preventDefault()
    // What the console does at a key it does not do now.
    event.stopPropagation()
    // The cursor of the device is elsewhere after it: what was written before cannot be mended any more.
    if (told !== ground) begin()
    key(event)
  }
  const keyUp = (event: KeyboardEvent) => {
    if (field.readOnly) return
    event.stopPropagation()
    key(event)
  }
  const written = (event: Event) => {
    if (!(event as InputEvent).isComposing) tell()
  }
  const composed = () => {
    composing(false)
    tell()
  }
  const composes = () => composing(true)
  const listeners = [
    ['keydown', keyDown],
    ['keyup', keyUp],
    ['input', written],
    ['compositionstart', composes],
    ['compositionend', composed],
    ['focus', begin],
  ] as const
  begin()
  for (const [name, listener] of listeners) field.addEventListener(name, listener as EventListener)
  return () => {
    for (const [name, listener] of listeners) field.removeEventListener(name, listener as EventListener)
  }
}

/** The same key, for whoever listens elsewhere. */
export function copyOfKey(event: KeyboardEvent): KeyboardEvent {
  const { type, key, code, keyCode, location, repeat, ctrlKey, altKey, shiftKey, metaKey } = event
  const has = (name: string) => event.getModifierState(name)
  return new KeyboardEvent(type, {
    ...{ key, code, keyCode, location, repeat, ctrlKey, altKey, shiftKey, metaKey },
    ...{ modifierCapsLock: has('CapsLock'), modifierNumLock: has('NumLock'), modifierAltGraph: has('AltGraph') },
  })
}
