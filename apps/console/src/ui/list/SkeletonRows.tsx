/** Grey bars where the rows will be, so that nothing jumps when they come. */
export function SkeletonRows({ columns, rows = 12, label }: { columns: number; rows?: number; label: string }) {
  return (
    <div className="skeleton" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="skeleton-row" aria-hidden>
          {Array.from({ length: Math.max(3, Math.min(columns, 8)) }, (_cell, cell) => (
            // Uneven widths read as text; a formula keeps them the same on every render.
            <i key={cell} style={{ width: `${45 + ((row * 7 + cell * 13) % 45)}%` }} />
          ))}
        </div>
      ))}
    </div>
  )
}
