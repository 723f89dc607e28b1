const isEnter = (event: KeyboardEvent) => event.key === 'Enter'

/**
 * One press of Enter does one thing. What a handler of the key going down opens or closes moves the focus; the browser's
 * own action, which follows with `keypress`, then falls on what has the focus now: 'Find' chosen in a menu sent the dialog
 * that it opened. A key that is held repeats, with the same end. Heard before anybody can stop it.
 */
export function watchEnter(): void {
  let pressed_on: EventTarget | null = null
  const stop = (event: KeyboardEvent) => {
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  const down = (event: KeyboardEvent) => {
    if (!isEnter(event)) return
    if (event.repeat && !(event.target instanceof HTMLTextAreaElement)) stop(event)
    else pressed_on = event.target
  }
  const press = (event: KeyboardEvent) => isEnter(event) && event.target !== pressed_on && stop(event)
  window.addEventListener('keydown', down, { capture: true })
  window.addEventListener('keypress', press, { capture: true })
}
