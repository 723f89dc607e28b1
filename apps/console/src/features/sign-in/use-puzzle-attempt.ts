import { useState } from 'react'
import { CallFailed } from '../../core/call-failed.ts'

/** Attempts of a form with a puzzle, one at a time. `told`: why the step before this one ended here. */
export function usePuzzleAttempt(told: string | null = null) {
  const [puzzle_token, setPuzzleToken] = useState<string | null>(null)
  const [round, setRound] = useState(0)
  const [is_tried, setTried] = useState(false)
  const [is_busy, setBusy] = useState(false)
  const [failure, setFailure] = useState(told)

  async function attempt(is_filled: boolean, ask: (puzzle_token: string) => Promise<void>): Promise<void> {
    setTried(true)
    setFailure(null)
    if (!is_filled || !puzzle_token || is_busy) return
    setBusy(true)
    try {
      await ask(puzzle_token)
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
      // A puzzle answers for one attempt. When the server was not reached it was not used up.
      if (!(error instanceof CallFailed && error.is_offline)) {
        setPuzzleToken(null)
        setRound((now) => now + 1)
        setTried(false)
      }
    } finally {
      setBusy(false)
    }
  }
  return { attempt, round, setPuzzleToken, has_puzzle: puzzle_token !== null, is_tried, is_busy, failure }
}
