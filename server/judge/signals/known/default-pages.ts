import type { Signature } from "./signature.ts";

const defaultPage = (of: string, when: Signature["when"]): Signature => ({
  rule: "default_page",
  reason: "placeholder_page",
  text: `The page is the one that ${of} shows where no site was set up.`,
  when: { isPlain: true, ...when },
});

/** Title and text must both match, because instructions quote one of them. */
export const DEFAULT_PAGES: readonly Signature[] = [
  defaultPage("nginx", {
    title: /^welcome to (?:nginx|freenginx|openresty|angie|tengine)(?: on .{1,40})?!?$/i,
    text: [
      /web (?:server|platform) is successfully installed|test the proper operation of the nginx/i,
    ],
  }),
  // If there is nothing else on the page, the name is enough.
  defaultPage("nginx", {
    title: /^welcome to nginx!$/i,
    textUnder: 80,
    text: [/^(?:welcome to nginx!|$)/i],
  }),
  defaultPage("Apache", {
    title: /^apache2 .{0,30}default page(?:: it works)?$/i,
    textUnder: 80,
    text: [/^(?:apache2 |it works|$)/i],
  }),
  defaultPage("Apache", {
    title: /^apache2 .{0,30}default page(?:: it works)?$/i,
    text: [/default welcome page used to test the correct operation of the Apache2 server/i],
  }),
  defaultPage("Apache", { title: /^(?:it works!.{0,40})?$/i, text: [/^it works!$/i] }),
  defaultPage("a Linux distribution's web server", {
    title: /\btest page\b/i,
    text: [/used to test the proper operation of (?:the|an|this) [^.]{0,40}server/i],
  }),
  defaultPage("IIS", {
    title:
      /^(?:IIS ?[\d.]*|IIS Windows(?: Server)?|(?:Microsoft )?Internet Information Services ?[\d.]*)$/,
    textUnder: 600,
    markup: [/go\.microsoft\.com\/fwlink|www\.iis\.net|iisstart/i],
  }),
  defaultPage("IIS", {
    title: /^under construction$/i,
    text: [
      /site you (?:are|were) trying to (?:view|reach) does not currently have a default page/i,
    ],
  }),
  defaultPage("LiteSpeed", {
    title: /litespeed|congratulations/i,
    text: [/(?:successfully installed|running) (?:the )?(?:open)?litespeed(?: web server)?/i],
  }),
  defaultPage("Caddy", { title: /^caddy works!$/i, text: [/your web server is working/i] }),
  defaultPage("Tomcat", {
    title: /^apache tomcat(?:\/[\w.-]{1,20})?$/i,
    text: [/(?:successfully installed|set ?up) tomcat/i],
  }),
  defaultPage("GlassFish", { title: /^glassfish server/i, text: [/your server is now running/i] }),
  defaultPage("WildFly", {
    title: /^welcome to (?:wildfly|jboss)/i,
    text: [/your (?:wildfly|jboss)[^.]{0,40} is running/i],
  }),
  defaultPage("Plesk", {
    title:
      /^(?:domain default page|(?:default )?(?:parallels )?plesk.{0,20} page|web server.?s default page)$/i,
    text: [/\bplesk\b/i],
  }),
  defaultPage("cPanel", { redirectedTo: /\/cgi-sys\/defaultwebpage\.cgi(?:$|\?)/i }),
  defaultPage("cPanel", {
    title: /^default web ?(?:site )?page$/i,
    text: [/(?:if you are the|are you the) owner of this (?:web)?site/i],
  }),
  defaultPage("XAMPP", {
    title: /^(?:welcome to )?xampp/i,
    text: [/successfully installed xampp/i],
  }),
  defaultPage("ISPConfig", {
    title: /^welcome/i,
    text: [/this is the default index page of your website/i],
  }),
  defaultPage("a hosting panel", {
    textUnder: 600,
    text: [
      /^(?:\S{1,100} )?(?:success! your new web server is ready to use|this is (?:a|the) default (?:index )?page for a new domain)/i,
    ],
  }),
  defaultPage("ISPmanager", { textUnder: 600, text: [/^welcome!? site \S{3,100} just created/i] }),
  defaultPage("BaoTa", {
    title: /站点|site is created/i,
    text: [/web服务器中没有找到对应的站点|站点创建成功|the site is created successfully/i],
  }),
  defaultPage("Azure", {
    title: /^microsoft azure (?:app service|web app)/i,
    text: [
      /(?:is up and running|is running and waiting for your content|waiting for your content)/i,
    ],
  }),
  defaultPage("Heroku", {
    title: /^heroku \| welcome to your new app!$/i,
    text: [/refer to the documentation/i],
  }),
  defaultPage("Elastic Beanstalk", {
    textUnder: 1500,
    text: [
      /^congratulations!? your first aws elastic beanstalk .{0,60}application is now running/i,
    ],
  }),
  defaultPage("Django", {
    title: /^(?:the install worked successfully! congratulations!|welcome to django)$/i,
    text: [/\bdjango\b/i],
  }),
  defaultPage("Rails", {
    title: /^ruby on rails/i,
    text: [/you.re (?:riding ruby )?on rails!/i],
  }),
  defaultPage("GoDaddy", {
    textUnder: 600,
    text: [/^(?:\S{1,100} )?future home of something quite cool/i],
  }),
  defaultPage("Wix", {
    textUnder: 1500,
    text: [/^looks like this domain isn.t connected to a website yet/i],
  }),
  defaultPage("OVH", {
    title: /\b(?:construction|congratulations|félicitations|welcome|bienvenue)\b/i,
    text: [
      /your domain (?:name )?has (?:indeed )?been created (?:with|at|on) ovh|votre (?:nom de )?domaine a bien été créé chez ovh/i,
    ],
  }),
  {
    rule: "empty_listing",
    reason: "placeholder_page",
    text: "The page lists a folder in which there is nothing.",
    when: {
      textUnder: 400,
      text: [
        /^index of \/ ?(?:name last modified size description ?)?(?:(?:\.\.\/|parent directory|cgi-bin\/) ?[-\d: ]{0,30}){0,3}(?:(?:apache|nginx|litespeed|proudly served)\b.{0,200})?$/i,
      ],
    },
  },
];
