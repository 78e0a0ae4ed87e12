import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { changeSetting, settingsQuery } from '#dashboard/web/api/settings.ts'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import type { SettingKey } from '#shared/settings/api/settings.ts'

/** Saves one setting; `refusal` is the error of the value. */
export function useSave(key: SettingKey, name: string) {
  const client = useQueryClient()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (value: unknown) => changeSetting(key, value),
    onSuccess: ({ value }) => {
      client.setQueryData(settingsQuery.queryKey, (old) => old && { ...old, [key]: value })
      toast(`${name} is saved`)
    },
    onError: (problem) => {
      if (refusalsIn(problem).value === undefined) toastError(problem)
    },
  })
  return { save: mutate, isPending, refusal: refusalsIn(error).value, reset }
}
