import { TimePicker } from 'antd'
import dayjs from 'dayjs'

type Props = { label: string; value: string; onChange: (time: string) => void }
/** A time of the clock on the wall, HH:mm. */
export function TimeOfDay({ label, value, onChange }: Props) {
  return (
    <TimePicker
      aria-label={label}
      className="time-of-day"
      format="HH:mm"
      minuteStep={5}
      allowClear={false}
      needConfirm={false}
      showNow={false}
      value={dayjs(`2024-01-01T${value}`)}
      onChange={(time) => time && onChange(time.format('HH:mm'))}
    />
  )
}
