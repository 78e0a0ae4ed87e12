import { useCallback, useState } from 'react'

/** Which rows are chosen, by their ids. */
export function useSelection() {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const select = useCallback((id: string, selected: boolean) => {
    setIds((old) => {
      const next = new Set(old)
      if (selected) next.add(id)
      else next.delete(id)
      return next
    })
  }, [])
  const selectAll = useCallback((all: readonly string[], selected: boolean) => {
    setIds((old) => (selected ? new Set([...old, ...all]) : old.difference(new Set(all))))
  }, [])
  const clear = useCallback(() => setIds(new Set()), [])
  return { ids, select, selectAll, clear }
}

export type Selection = ReturnType<typeof useSelection>
