import { useEffect } from 'react'
import { useDebounced } from '#dashboard/web/ui/use-debounced.ts'

export interface ParamsProps {
  /** Receives the changed params; undefined when they are not complete. */
  onChange: (params: Record<string, unknown> | undefined) => void
}

const PAUSE_MS = 500

/**
 * Passes the params to `onChange` after a pause in typing; undefined while the user types them or
 * when they are wrong.
 */
export function useDebouncedParams(
  params: Record<string, unknown> | undefined,
  onChange: ParamsProps['onChange'],
): void {
  const text = params === undefined ? '' : JSON.stringify(params)
  const isPaused = useDebounced(text, PAUSE_MS) === text
  useEffect(() => {
    onChange(isPaused && text !== '' ? JSON.parse(text) : undefined)
  }, [isPaused, text, onChange])
}
