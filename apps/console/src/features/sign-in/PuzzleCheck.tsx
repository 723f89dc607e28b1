import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, send, useCall } from '../../core/api.ts'
import { Puzzle } from './Puzzle.tsx'
import type { Answer } from './Puzzle.tsx'
import { workFor } from './puzzle-work.ts'

type State = { at: 'open' } | { at: 'checking' } | { at: 'solved' } | { at: 'refused'; message: string }

/**
 * Gets puzzles until one is solved, then hands its token over. A refused answer uses its puzzle up; why it was refused stands until
 * the next answer, however slowly somebody reads.
 */
export function PuzzleCheck({ onToken, error }: { onToken: (token: string) => void; error?: string }) {
  const { t } = useTranslation(['sign-in', 'common'])
  const [state, setState] = useState<State>({ at: 'open' })
  // One answer per puzzle, so none may come out of the cache.
  const query = useCall(api.login.puzzle, {}, { fresh: true })
  const puzzle = query.data
  const work = useMemo(() => puzzle && workFor(puzzle.puzzle_kid, puzzle.work_bits), [puzzle])

  const answer = async ({ x, track }: Answer) => {
    if (!puzzle) return
    setState({ at: 'checking' })
    try {
      const { puzzle_kid } = puzzle
      const { puzzle_token } = await send(api.login.check_puzzle, { puzzle_kid, x, track, work: (await work) ?? '' })
      setState({ at: 'solved' })
      onToken(puzzle_token)
    } catch (failure) {
      setState({ at: 'refused', message: failure instanceof Error ? failure.message : String(failure) })
      await query.refetch()
    }
  }
  if (state.at === 'solved') {
    return (
      <p className="puzzle-solved" role="status">
        <span aria-hidden>✓</span> {t('puzzle')}: {t('puzzle_done')}
      </p>
    )
  }
  const note = state.at === 'refused' ? state.message : error
  return (
    <fieldset className="puzzle-check" data-bad={note ? true : undefined}>
      <legend>{t('puzzle')}</legend>
      {query.error ? (
        <p className="puzzle-away" role="alert">
          {query.error.message}{' '}
          <button type="button" className="link" onClick={() => void query.refetch()}>
            {t('common:try_again')}
          </button>
        </p>
      ) : puzzle ? (
        <Puzzle
          key={puzzle.puzzle_kid}
          puzzle={puzzle}
          is_busy={state.at === 'checking'}
          onAnswer={(given) => void answer(given)}
          onAnother={() => {
            setState({ at: 'open' })
            void query.refetch()
          }}
        />
      ) : (
        <div className="puzzle-wait" role="status" aria-label={t('common:loading')} />
      )}
      <p className="text-field-note" role="status">
        {note}
      </p>
    </fieldset>
  )
}
