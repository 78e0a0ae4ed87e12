/** What is wrong with several fields together, announced by screen readers; nothing without it. */
export function Mistake({ of }: { of: string | undefined }) {
  if (!of) return null
  return (
    <p role="alert" className="text-xs text-bad">
      {of}
    </p>
  )
}
