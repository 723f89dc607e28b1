const columns = 26
const rows = 34

/** A fixed noise in 0..1, so that the picture is the same for everyone, every time. */
const noise = (n: number) => {
  const wave = Math.sin(n * 127.1 + 311.7) * 43_758.5453
  return wave - Math.floor(wave)
}

/** The fleet as a field of devices: many quiet, some online, one found. */
export function FleetField() {
  const found = { column: 17, row: 13 }
  const dots = Array.from({ length: columns * rows }, (_, at) => {
    const [column, row] = [at % columns, Math.floor(at / columns)]
    const is_found = column === found.column && row === found.row
    const near = Math.hypot(column - found.column, row - found.row) / 18
    const is_on = noise(at) > 0.5 + near * 0.45
    return (
      <rect
        key={at}
        x={column * 24}
        y={row * 24}
        width="6"
        height="10"
        rx="1.5"
        data-on={is_on}
        data-found={is_found}
      />
    )
  })
  return (
    <div className="fleet" aria-hidden>
      <svg viewBox={`0 0 ${columns * 24 - 18} ${rows * 24 - 14}`} preserveAspectRatio="xMidYMid slice">
        {dots}
        <circle cx={found.column * 24 + 3} cy={found.row * 24 + 5} r="17" />
      </svg>
    </div>
  )
}
