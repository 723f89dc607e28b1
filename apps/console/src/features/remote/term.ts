/*! xterm.js 6.0.0, MIT License. Copyright (c) 2017-2022, The xterm.js authors. https://github.com/xtermjs/xterm.js */
import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'

/** Fixed, whatever the look of the console: programs choose their colours for a dark ground. */
const theme = {
  background: '#141318',
  foreground: '#eceaf0',
  cursor: '#ab9fff',
  cursorAccent: '#141318',
  selectionBackground: '#4a4653',
}

export function makeTerminal(options: { is_read_only?: boolean; columns?: number; rows?: number; label: string }) {
  const terminal = new Terminal({
    theme,
    fontFamily: "ui-monospace, 'Cascadia Mono', Menlo, 'DejaVu Sans Mono', monospace",
    fontSize: 13,
    scrollback: 5_000,
    cursorBlink: !options.is_read_only,
    disableStdin: options.is_read_only ?? false,
    ...(options.columns && { cols: options.columns }),
    ...(options.rows && { rows: options.rows }),
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  return {
    terminal,
    fit,
    open(place: HTMLElement) {
      terminal.open(place)
      terminal.textarea?.setAttribute('aria-label', options.label)
    },
  }
}
