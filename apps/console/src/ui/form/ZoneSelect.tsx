import { Select } from 'antd'
import type { SelectProps } from 'antd'
import { useMemo } from 'react'
import { isZoneSought, zoneOptions } from '../../lib/zones.ts'
import type { ZoneOption } from '../../lib/zones.ts'
import { useSessionStore } from '../../core/session-store.ts'

type Props = SelectProps<string, ZoneOption> & { kept?: string | null | undefined }

/** A time zone, found by city. `kept` is what was chosen before, offered also where it is none of the known ones. */
export function ZoneSelect({ kept, ...select }: Props) {
  const language = useSessionStore((s) => s.language)
  const options = useMemo(() => zoneOptions(language, kept), [language, kept])
  return <Select<string, ZoneOption> {...select} options={options} showSearch={{ filterOption: isZoneSought }} />
}
