/**
 * Scrolls a strip or menu until one of its entries is in view. `scrollIntoView` would also let the next Tab begin there, past
 * the link that skips it.
 */
export function reveal(around: Element, entry: Element): void {
  const [outer, own] = [around.getBoundingClientRect(), entry.getBoundingClientRect()]
  if (own.left < outer.left) around.scrollLeft -= outer.left - own.left
  else if (own.right > outer.right) around.scrollLeft += own.right - outer.right
  if (own.top < outer.top) around.scrollTop -= outer.top - own.top
  else if (own.bottom > outer.bottom) around.scrollTop += own.bottom - outer.bottom
}
