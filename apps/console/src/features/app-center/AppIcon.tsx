import './app-center.css'

/** The picture of an app, or the first letter of its name. What it is called stands beside it. */
export function AppIcon({ name, url, is_large }: { name: string; url: string | null; is_large?: boolean }) {
  return (
    <span className="app-icon" data-large={is_large || undefined} aria-hidden>
      {url ? <img src={url} alt="" loading="lazy" /> : [...name.trim()][0]?.toUpperCase()}
    </span>
  )
}
