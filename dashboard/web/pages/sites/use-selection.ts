import { useMutation } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { messageOf } from '../../api/client.ts'
import { listSiteIds, type SitesFilter } from '../../api/sites.ts'
import { formatNumber } from '../../ui/format.ts'
import { tell } from '../../ui/toasts.tsx'

interface Selection {
  ids: ReadonlySet<number>
  /** Of which these are all that match; undefined once one of them was taken out or added. */
  all_of?: SitesFilter | undefined
}

const NONE: Selection = { ids: new Set() }

/** Which sites are selected, by their ids: they stay so while others are looked for. */
export function useSelection(filter: SitesFilter) {
  const [{ ids, all_of }, set] = useState(NONE)
  const toggle = useCallback(
    (id: number) =>
      set(({ ids }) => {
        const next = new Set(ids)
        if (!next.delete(id)) next.add(id)
        return { ids: next }
      }),
    [],
  )
  const clear = () => set(NONE)
  const { mutate, isPending } = useMutation({
    mutationFn: () => listSiteIds(filter),
    onSuccess: ({ ids, total }) => {
      set({ ids: new Set(ids), all_of: filter })
      const count = formatNumber(ids.length)
      if (ids.length < total) tell(`The first ${count} are selected: more do not fit at once`)
    },
    onError: (error) => tell(messageOf(error), { error: true }),
  })
  const isAll = ids.size > 0 && all_of === filter
  const state = isAll ? 'all' : ids.size > 0 ? 'some' : 'none'
  const all = {
    selected: state,
    isBusy: isPending,
    onSelectAll: isAll ? clear : () => mutate(),
  } as const
  return { ids, toggle, clear, all }
}
