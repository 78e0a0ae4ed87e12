import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Copy } from '#dashboard/web/ui/copy.tsx'

const SHOWN_MS = 30_000

interface SecretProps {
  /** The name of the secret in a sentence, such as `the database password`. */
  what: string
  text: string
  /** The time is over, or the user hides it. */
  onHide: () => void
}

/** Shows a password for half a minute, or until its page is left. */
export function Secret({ what, text, onHide }: SecretProps) {
  const [left, setLeft] = useState(SHOWN_MS / 1000)
  useEffect(() => {
    const timer = setInterval(() => setLeft((seconds) => seconds - 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  useEffect(() => {
    if (left <= 0) onHide()
  }, [left, onHide])
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-lg bg-sunken px-3 py-1.5">
      <output aria-label={what} className="min-w-0 flex-1 font-mono text-sm break-all select-all">
        {text}
      </output>
      <Copy text={text} what={what} />
      <Button kind="quiet" onClick={onHide}>
        Hide <span className="tabular-nums">({left} s)</span>
      </Button>
    </div>
  )
}

/**
 * A secret that is read on request. It is kept in the state of the component only: the result of a
 * query or a mutation would be cached.
 */
export function useSecret<S>(read: () => Promise<S>) {
  const [shown, setShown] = useState<S>()
  const hide = useCallback(() => setShown(undefined), [])
  const show = (secret: S) => setShown(() => secret)
  const { mutate, isPending, error } = useMutation({ mutationFn: async () => show(await read()) })
  return { shown, show, hide, read: () => mutate(), isBusy: isPending, error }
}
