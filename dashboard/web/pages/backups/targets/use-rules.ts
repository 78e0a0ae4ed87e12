import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { BACKUPS, changeRules, rulesQuery } from '#dashboard/web/api/backups.ts'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import type { SetBackupRules } from '#shared/backups/api/backup-settings.ts'

type Rule = SetBackupRules['rules'][number]

/** Saves or removes one rule. */
export function useRules() {
  const { data } = useQuery(rulesQuery)
  const client = useQueryClient()
  const known = (data?.rules ?? []).map(({ servers: _, ...rule }): Rule => rule)
  const without = (tag: string) => known.filter((rule) => rule.tag !== tag)
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: (rules: Rule[]) => changeRules({ rules, version: data?.version ?? '' }),
    // Also after a refusal: somebody else may have changed them.
    onSettled: () => void client.invalidateQueries({ queryKey: BACKUPS }),
  })
  return {
    save: (rule: Rule) => mutateAsync([...without(rule.tag), rule]),
    remove: (tag: string) => {
      mutateAsync(without(tag)).then(() => toast(`The rule for ${tag} is removed`), toastError)
    },
    isPending,
    error,
  }
}
