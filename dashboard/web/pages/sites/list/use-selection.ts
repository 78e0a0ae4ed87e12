import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { type SitesFilter, siteIdsQuery } from '#dashboard/web/api/sites.ts'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { remembered } from '#dashboard/web/ui/remembered.ts'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'

interface Selection {
  ids: ReadonlySet<number>
  /** The filter whose matches are all selected; undefined after a change of the selection. */
  all_of?: SitesFilter | undefined
  /** The last clicked site, and the filter at that time. */
  last?: { id: number; filter: SitesFilter } | undefined
}

const NONE: Selection = { ids: new Set() }
const selection = remembered(NONE)

const clear = () => selection.set(() => NONE)

/** The selected sites, by their ids: they stay selected when the filters change. */
export function useSelection(filter: SitesFilter) {
  const { ids, all_of } = selection.use()
  const client = useQueryClient()
  const all = useMutation({
    mutationFn: () => client.fetchQuery(siteIdsQuery(filter)),
    onSuccess: ({ ids, total }) => {
      selection.set(() => ({ ids: new Set(ids), all_of: filter }))
      const count = formatNumber(ids.length)
      if (ids.length < total) toast(`The first ${count} are selected`)
    },
    onError: toastError,
  })
  const range = useMutation({
    mutationFn: async (ends: readonly number[]) => {
      const { ids } = await client.fetchQuery(siteIdsQuery(filter))
      const [from = -1, to = -1] = ends.map((id) => ids.indexOf(id)).sort((a, b) => a - b)
      return from < 0 ? [] : ids.slice(from, to + 1)
    },
    onSuccess: (between) =>
      selection.set(({ ids, last }) => ({ ids: new Set([...ids, ...between]), last })),
    onError: toastError,
  })
  const select = range.mutate
  /** With Shift, all sites between it and the previous one are also selected. */
  const toggle = useCallback(
    (id: number, isRange = false) => {
      const { last } = selection.get()
      if (isRange && last?.filter === filter) select([last.id, id])
      selection.set((before) => toggled(before, id, { filter, isRange }))
    },
    [filter, select],
  )
  const isAll = ids.size > 0 && all_of === filter
  const box = {
    selected: isAll ? 'all' : ids.size > 0 ? 'some' : 'none',
    isBusy: all.isPending,
    onSelectAll: isAll ? clear : () => all.mutate(),
  } as const
  return { ids, shown: useShownOf(ids, filter), toggle, clear, all: box }
}

function toggled(
  { ids }: Selection,
  id: number,
  { filter, isRange }: { filter: SitesFilter; isRange: boolean },
): Selection {
  const next = new Set(ids)
  if (isRange || !next.delete(id)) next.add(id)
  return { ids: next, last: { id, filter } }
}

/** Those of the selected sites that match the filters; undefined until that is known. */
function useShownOf(
  ids: ReadonlySet<number>,
  filter: SitesFilter,
): ReadonlySet<number> | undefined {
  const { data } = useQuery({ ...siteIdsQuery(filter), enabled: ids.size > 0 })
  return useMemo(() => data && ids.intersection(new Set(data.ids)), [data, ids])
}
