/** How far something in a row of a table is; `label` says of what, with the percentage in words. */
export function ProgressBar({ percent, label }: { percent: number; label: string }) {
  return (
    <span className="progress-line">
      <span
        role="progressbar"
        className="progress-line-bar"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-label={label}
      >
        <i style={{ width: `${percent}%` }} />
      </span>
      <span className="number dim">{percent}%</span>
    </span>
  )
}
