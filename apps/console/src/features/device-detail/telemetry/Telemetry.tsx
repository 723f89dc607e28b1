import { BatteryCurve } from './BatteryCurve.tsx'
import { NetworkUsage } from './NetworkUsage.tsx'
import { OnlineDays } from './OnlineDays.tsx'
import './telemetry.css'

/** What the device was like over days; loaded after what it is now. */
export default function Telemetry() {
  return (
    <>
      <OnlineDays />
      <BatteryCurve />
      <NetworkUsage />
    </>
  )
}
