import { pretty } from './pretty.ts'
import './code-block.css'

/** What machines wrote or read, JSON indented. It scrolls, so the keyboard must reach it. */
export const CodeBlock = ({ label, text }: { label: string; text: string }) => (
  <pre className="code-block" role="region" aria-label={label} tabIndex={0}>
    {pretty(text)}
  </pre>
)
