import { type StreamDeps, streamed } from '#dashboard/kernel/engine/operation-answers.ts'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite } from '#dashboard/kernel/targets/load-site.ts'
import { ObjectCacheView, SetObjectCache } from '#shared/object-cache/api/object-cache.ts'
import { showObjectCache } from './show-object-cache.ts'

const route = routesWith<StreamDeps>()

export const objectCacheRoutes = {
  getObjectCache: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/object-cache',
    summary: 'Show the object cache of a site',
    details: 'Read on the server of the site, with the rights of the site.',
    right: 'read',
    loads: loadManagedSite,
    answers: shows('Its memory, numbers and drop-in.', { object_cache: ObjectCacheView }),
    errors: ['conflict', 'offline'],
    run: async ({ deps, loaded }) => ({ object_cache: await showObjectCache(deps, loaded) }),
  }),
  setObjectCache: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/object-cache',
    summary: 'Switch the object cache of a site on, change its memory, or switch it off',
    details:
      'The cache is a server for this site alone, with its own memory limit. A drop-in of another plugin is never replaced: 409 names it.',
    loads: loadManagedSite,
    body: SetObjectCache,
    ...streamed('site.object-cache'),
  }),
}
