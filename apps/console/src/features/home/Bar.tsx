export function Bar({ share, label, tone }: { share: number; label: string; tone: 'good' | 'quiet' | 'warn' }) {
  return (
    <div className="bar" data-tone={tone} role="img" aria-label={label}>
      <i style={{ width: `${Math.min(1, share) * 100}%` }} />
    </div>
  )
}
