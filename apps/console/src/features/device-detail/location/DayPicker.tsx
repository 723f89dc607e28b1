import { LeftOutlined, RightOutlined } from '@ant-design/icons'
import { Button, DatePicker } from 'antd'
import dayjs from 'dayjs'
import { useTranslation } from 'react-i18next'
import type { Day } from './use-day.ts'

const format = 'YYYY-MM-DD'

export function DayPicker({ day, today, choose }: Day) {
  const { t } = useTranslation('map')
  const by = (days: number) => choose(dayjs(day).add(days, 'day').format(format))
  return (
    <span className="day-picker" role="group" aria-label={t('track.day')}>
      <Button
        icon={<LeftOutlined aria-hidden />}
        aria-label={t('track.day_before')}
        title={t('track.day_before')}
        onClick={() => by(-1)}
      />
      <DatePicker
        aria-label={t('track.day')}
        allowClear={false}
        format="YYYY/MM/DD"
        value={dayjs(day)}
        disabledDate={(date) => date.format(format) > today}
        onChange={(date) => date && choose(date.format(format))}
      />
      <Button
        icon={<RightOutlined aria-hidden />}
        aria-label={t('track.day_after')}
        title={t('track.day_after')}
        disabled={day >= today}
        onClick={() => by(1)}
      />
      {day !== today && <Button onClick={() => choose(today)}>{t('track.today')}</Button>}
    </span>
  )
}
