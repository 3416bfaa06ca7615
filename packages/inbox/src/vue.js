import { computed, getCurrentInstance, onMounted, shallowRef, toValue, watch } from "vue";
import { sourcesOf } from "./feed-source.js";
import { InboxFeed } from "./inbox-feed.js";

/** Composables for an inbox that a page draws itself. vue.d.ts documents them. */

export function useInboxFeed(options, user) {
  const make = () =>
    new InboxFeed({ ...toValue(options), getToken: () => toValue(options).getToken() });
  const feed = shallowRef(make());
  const remake = () => {
    feed.value = make();
  };
  watch(() => toValue(user), remake, { flush: "sync" });
  return feed;
}

export function useInbox(feed) {
  return useSource(feed, "inbox");
}

export function useUnreadCount(feed) {
  return useSnapshot(feed, "unread");
}

export function usePreferences(feed) {
  return useSource(feed, "preferences");
}

/** Returns a ref for each part of the state, and the actions of the present feed. */
function useSource(feed, name) {
  const { initial, actions } = sourceOf(feed, name);
  const state = useSnapshot(feed, name);
  const all = {};
  for (const part of Object.keys(initial)) all[part] = computed(() => state.value[part]);
  for (const action of Object.keys(actions)) {
    all[action] = (...given) => sourceOf(feed, name).actions[action](...given);
  }
  return all;
}

function useSnapshot(feed, name) {
  const state = shallowRef(sourceOf(feed, name).initial);
  const begin = () => {
    watch(
      () => sourceOf(feed, name),
      ({ subscribe, read }, _, onCleanup) => {
        const show = () => {
          state.value = read();
        };
        onCleanup(subscribe(show));
        show();
      },
      { immediate: true },
    );
  };
  if (getCurrentInstance() !== null) onMounted(begin);
  // In a store the scope of effects ends the subscription. A server subscribes to nothing.
  else if (typeof window !== "undefined") begin();
  return state;
}

const sourceOf = (feed, name) => sourcesOf(toValue(feed))[name];
