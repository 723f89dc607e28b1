/** How far a picture is turned on the viewer's own side, in quarters of a circle, clockwise. */
export type Quarters = 0 | 1 | 2 | 3
export type Size = { width: number; height: number }

export const oneFurther = (quarters: Quarters): Quarters => ((quarters + 1) % 4) as Quarters
export const isOnItsSide = (quarters: Quarters): boolean => quarters % 2 === 1

/** Where on the picture, of this size before it was turned, a point is that somebody points at in the turned one. */
export function unturned(
  { x, y }: { x: number; y: number },
  { width, height }: Size,
  quarters: Quarters,
): { x: number; y: number } {
  const right = width - 1
  const bottom = height - 1
  if (quarters === 1) return { x: y, y: bottom - x }
  if (quarters === 2) return { x: right - x, y: bottom - y }
  return quarters === 3 ? { x: right - y, y: x } : { x, y }
}
