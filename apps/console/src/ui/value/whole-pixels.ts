import { useLayoutEffect, useRef, useState } from 'react'

/** The largest size up to `size` in which every module of a QR code has the same number of pixels: a dense code is not read otherwise. */
export function useWholePixels(value: string, size: number) {
  const frame = useRef<HTMLDivElement>(null)
  const [whole, setWhole] = useState(size)
  useLayoutEffect(() => {
    const modules = frame.current?.querySelector<SVGSVGElement>('svg[viewBox]')?.viewBox.baseVal.width
    if (modules) setWhole(modules * Math.max(1, Math.floor(size / modules)))
  }, [value, size])
  return { frame, whole }
}
