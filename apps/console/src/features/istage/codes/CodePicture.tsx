import { QRCode } from 'antd'
import { useWholePixels } from '../../../ui/value/whole-pixels.ts'

/** A code as scanners want it: black on white whatever the theme, whole pixels, and room around it. */
export function CodePicture({ value, label, size }: { value: string; label: string; size: number }) {
  const { frame, whole } = useWholePixels(value, size)
  return (
    <div className="staging-picture" ref={frame}>
      <QRCode
        value={value}
        type="svg"
        size={whole}
        marginSize={4}
        color="#000"
        bgColor="#fff"
        bordered={false}
        role="img"
        aria-label={label}
      />
    </div>
  )
}
