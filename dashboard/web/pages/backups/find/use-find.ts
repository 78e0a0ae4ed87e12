import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { BACKUPS, kitsQuery } from '#dashboard/web/api/backups.ts'
import { adoptAll, type Found, type Search } from './adopt-all.ts'

type NewSearch = Omit<Search, 'kit' | 'hasKit'> & { file: File }

/** The search in a target, and what it has found until now. */
export function useFind() {
  const client = useQueryClient()
  const { data: kits } = useQuery(kitsQuery)
  const [found, setFound] = useState<readonly Found[]>()
  const hasKit = kits && kits.in_use !== null
  const {
    mutate,
    isPending,
    isSuccess,
    error,
    data: unnamed = 0,
  } = useMutation({
    // The text of the kit is not kept.
    gcTime: 0,
    mutationFn: async ({ file, ...options }: NewSearch) =>
      adoptAll({ ...options, kit: await file.text(), hasKit: hasKit === true }, setFound),
    onSettled: () => client.invalidateQueries({ queryKey: BACKUPS }),
  })
  const isShown = found !== undefined && (isSuccess || found.length > 0)
  const shown = isShown ? found : undefined
  return { start: mutate, hasKit, found: shown, unnamed, isPending, error }
}
