import { OrDash } from '../../ui/value/values.tsx'

/** A long name must not push the rest of the row away. */
export const Clipped = ({ text, is_wide = false }: { text: string | null; is_wide?: boolean }) => (
  <OrDash>
    {text && (
      <span className={is_wide ? 'clipped clipped-wide' : 'clipped'} title={text}>
        {text}
      </span>
    )}
  </OrDash>
)
