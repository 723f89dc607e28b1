import type { Row } from './measure.ts'

/** Of the drawing, in its own units. */
const [width, row_height, text_width, figure_width, top] = [920, 30, 420, 110, 44]
/** Beyond that a bar is cut, and its figure alone says how much. */
const most_share = 1.6

/** What a goal allows: at most, or at least, so much. Undefined where its words are no figure. */
export function limitOf(wanted: string): { is_most: boolean; figure: number } | undefined {
  const [, sign, figure] = /^([<>])=? ([\d.]+)$/.exec(wanted) ?? []
  return sign === undefined ? undefined : { is_most: sign === '<', figure: Number(figure) }
}

/** How much of what a goal allows is used: 1 is all of it, whichever way the goal looks. */
export function shareOf(ratio: number, wanted: string): number {
  const limit = limitOf(wanted)
  if (!limit || ratio <= 0) return 0
  return limit.is_most ? ratio / limit.figure : limit.figure / ratio
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const cut = (text: string, length: number) => (text.length > length ? `${text.slice(0, length - 1)}…` : text)

/** A bar for each row, the line at which its goal is used up, and what was measured; for light and dark pages. */
export function chart(title: string, rows: readonly Row[]): string {
  const room = width - text_width - figure_width - 20
  const x = (share: number) => text_width + (Math.min(share, most_share) / most_share) * room
  const height = top + rows.length * row_height + 14
  const bars = rows.map(({ goal, what, ratio, wanted, is_met }, at) => {
    const [y, middle] = [top + at * row_height, top + at * row_height + row_height / 2]
    const shares = [ratio.min, ratio.median, ratio.max].map((value) => shareOf(value, wanted))
    const [from, to] = [Math.min(...shares), Math.max(...shares)]
    return [
      `<g><title>${escaped(`${goal}: ${what}, ${ratio.median.toPrecision(3)} of ${wanted}`)}</title>`,
      `<text x="${text_width - 10}" y="${middle + 4}" text-anchor="end">${escaped(cut(`${goal}  ${what}`, 66))}</text>`,
      `<rect class="${is_met ? 'met' : 'missed'}" x="${text_width}" y="${y + 7}" width="${(x(shares[1]!) - text_width).toFixed(1)}" height="${row_height - 14}" rx="2"/>`,
      `<path class="spread" d="M${x(from).toFixed(1)} ${middle}H${x(to).toFixed(1)}"/>`,
      `<text x="${width - figure_width}" y="${middle + 4}">${escaped(`${ratio.median.toPrecision(3)}  (${wanted})`)}</text></g>`,
    ].join('')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
<style>
text { font: 12px system-ui, sans-serif; fill: #3d3a45 } .head { font-weight: 600 }
.met { fill: #5a48d6 } .missed { fill: #c2410c } .spread { stroke: #16131f; stroke-width: 1.5 } .goal { stroke: #8a8594; stroke-dasharray: 4 3 }
@media (prefers-color-scheme: dark) { text { fill: #d6d3de } .met { fill: #9d90f2 } .missed { fill: #f59e6c } .spread { stroke: #f4f2fa } }
</style>
<text class="head" x="${x(1)}" y="20" text-anchor="middle">goal</text>
<path class="goal" d="M${x(1)} 28V${height - 8}"/>
${bars.join('\n')}
</svg>
`
}
