import type { AnyRoute } from '#dashboard/kernel/http/route.ts'

/** Routes of one subject, by the name that generated clients use. */
interface RouteSubject {
  about: string
  routes: Readonly<Record<string, AnyRoute>>
}

export type RouteSubjects = Readonly<Record<string, RouteSubject>>

export interface DescribedRoute extends AnyRoute {
  id: string
  tag: string
  method: string
  /** The path as OpenAPI writes it: `/api/servers/{server_id}`. */
  path: string
  /** Whether everybody may call it. */
  open: boolean
  names: readonly string[]
}

export const describedRoutes = (subjects: RouteSubjects): readonly DescribedRoute[] =>
  Object.entries(subjects).flatMap(([tag, { routes }]) =>
    Object.entries(routes).map(([id, route]) => {
      const [method = '', path = ''] = route.at.split(' ')
      const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
      const braced = path.replace(/:(\w+)/g, '{$1}')
      return { ...route, id, tag, method, path: braced, names, open: route.right === 'open' }
    }),
  )
