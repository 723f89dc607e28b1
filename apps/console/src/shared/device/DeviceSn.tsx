import { Link } from 'react-router'
import { link } from '../../core/links.ts'
import { useMay } from '../../core/session.tsx'
import { Code } from '../../ui/value/values.tsx'

/** The SN of a device, which leads to its page for whoever may open that. */
export function DeviceSn({ kid, sn }: { kid: string; sn: string }) {
  const may_open = useMay('deviceDetailInfo')
  const shown = <Code value={sn} />
  return may_open ? <Link to={link.deviceDetailInfo.to({ kid })}>{shown}</Link> : shown
}
